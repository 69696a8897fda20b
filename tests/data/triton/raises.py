import os
import sys
import time

import no_such_module
