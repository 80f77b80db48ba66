"""The command line. Commands are imported when they are called, so that `lamina` starts fast."""
