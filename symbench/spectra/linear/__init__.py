"""Linear attention in closed form: levels as functions of the length."""
