"""What kernel regression learns from N samples: bounds, theories, exact errors, networks."""
