"""Where records are kept: one narrow protocol, several stores behind it."""
