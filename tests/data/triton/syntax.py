import os
import sys
import time

def f(
