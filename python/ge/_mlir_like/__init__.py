"""Private: the native modules of this package and the loader that prepares them."""
