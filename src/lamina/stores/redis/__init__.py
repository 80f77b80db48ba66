"""The hot layers in Redis or Valkey."""
