"""`lamina sync`, `lamina watch --files` and the store made again from files."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import lamina
from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.surfaces.shell import run


