from ..registry.conftest import declare, plugin

__all__ = ["declare", "plugin"]
