"""Lamina over HTTP: one application, made by `create_app`, that every server of ours runs."""
