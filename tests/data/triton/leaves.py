import os
import sys
import time

os._exit(7)
