#!/usr/bin/env bash
# The peers that can be installed: GAP and PARI by Debian's packages, scikit-learn into the
# environment that is active, Sage's libraries (Symmetrica inside) into one of their own below build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
if command -v apt-get >/dev/null; then
    apt-get install -y --no-install-recommends gap-core gap-character-tables pari-gp
fi
python3 -m pip install scikit-learn
python3 -m venv build/peers
build/peers/bin/pip install passagemath-combinat passagemath-flint passagemath-groups \
    passagemath-graphs passagemath-modules passagemath-symbolics
