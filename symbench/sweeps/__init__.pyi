from symbench.registry.ledger import Ledger as Ledger
from symbench.sweeps.clusters import cluster as cluster
from symbench.sweeps.clusters import scheduler as scheduler
from symbench.sweeps.running import Sweep as Sweep
from symbench.sweeps.running import read_grid as read_grid
from symbench.sweeps.running import sweep as sweep
from symbench.sweeps.tables import write_bundle as write_bundle
from symbench.sweeps.tables import write_table as write_table
