"""Every class of damage."""

from tests.faults.damages.of_files import FILES
from tests.faults.damages.of_links import LINKS
from tests.faults.damages.of_records import RECORDS
from tests.faults.damages.of_vectors import VECTORS
from tests.faults.damages.of_words import WORDS
from tests.faults.damages.planting import Damage

DAMAGES: tuple[Damage, ...] = (*WORDS, *VECTORS, *LINKS, *RECORDS, *FILES)
