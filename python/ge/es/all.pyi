from .math import *
from .nn import *
