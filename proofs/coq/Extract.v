(** The checkers of [Certificates.v] as an OCaml module, checkers.ml, written into the folder that
    [coqc] is started in. Integers become those of zarith. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt.
From Symbench Require Import Certificates.

Extraction "checkers.ml"
  check_singular check_nonsingular check_rank
  check_positive_definite check_not_positive_definite check_distinct.
