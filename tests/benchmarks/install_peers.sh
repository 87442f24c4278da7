#!/usr/bin/env bash
# The peers that can be installed: GAP and PARI by Debian's packages, Sage's libraries (Symmetrica
# and lrcalc inside) and scikit-learn by pip, in an environment of their own below build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
if command -v apt-get >/dev/null; then
    apt-get install -y --no-install-recommends gap-core gap-character-tables pari-gp
fi
python3 -m venv build/peers
build/peers/bin/pip install scikit-learn passagemath-combinat passagemath-flint passagemath-groups \
    passagemath-graphs passagemath-modules passagemath-symbolics
