"""Not available: importing this module of CANN raises ModuleNotFoundError, which says what to use."""

from ._support.unavailable import refuse

refuse(__spec__.name)
