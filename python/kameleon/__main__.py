"""`python -m kameleon` is the program `kameleon`."""

import sys

from kameleon_program import main

sys.exit(main())
