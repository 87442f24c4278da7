(* Reads one instance from the standard input, hands it to the extracted checker, and prints
   "checked" (exit code 0) or "BAD" (exit code 1). No decision is taken here.

   The instance is a text of words between white space: a kind, then its parts in this order.

     singular               MATRIX VECTOR
     nonsingular            modulus INVERSE MATRIX
     rank                   width rank modulus ROWS COLUMNS INVERSE NULL MATRIX
     positive-definite      scale GRAM MATRIX
     not-positive-definite  MATRIX VECTOR
     distinct               VECTOR

   A vector is its length and its entries; a matrix is its number of rows, its number of columns
   and its entries row by row. ROWS and COLUMNS are vectors of 0 and 1, one for each row or column
   of the matrix, 1 for those of the minor; the width is the number of columns; NULL has the null
   vectors as its rows. Whatever is not written like this, or goes on after its last part, is
   BAD. *)

let word () = Scanf.scanf " %s" (fun text -> text)

let is_integer text =
  let sign = if text <> "" && text.[0] = '-' then 1 else 0 in
  let digits = String.sub text sign (String.length text - sign) in
  digits <> "" && String.for_all (fun c -> '0' <= c && c <= '9') digits

let integer () =
  let text = word () in
  if is_integer text then Z.of_string text else failwith "not an integer"

let count () =
  let number = Z.to_int (integer ()) in
  if number < 0 then failwith "a negative number of parts" else number

(* [length] things read one after the other. *)
let many length read =
  let rec go left found = if left = 0 then List.rev found else go (left - 1) (read () :: found) in
  go length []

let vector () =
  let length = count () in
  many length integer

let matrix () =
  let rows = count () in
  let columns = count () in
  many rows (fun () -> many columns integer)

let subset () =
  let bit number =
    if Z.equal number Z.one then true
    else if Z.equal number Z.zero then false
    else failwith "neither 0 nor 1" in
  List.map bit (vector ())

let rec natural number = if number = 0 then Checkers.O else Checkers.S (natural (number - 1))

let check () =
  match word () with
  | "singular" ->
      let m = matrix () in
      let v = vector () in
      Checkers.check_singular m v
  | "nonsingular" ->
      let modulus = integer () in
      let inverse = matrix () in
      let m = matrix () in
      Checkers.check_nonsingular modulus inverse m
  | "rank" ->
      let width = natural (count ()) in
      let rank = natural (count ()) in
      let modulus = integer () in
      let rows = subset () in
      let columns = subset () in
      let inverse = matrix () in
      let null = matrix () in
      let m = matrix () in
      Checkers.check_rank width rank modulus rows columns inverse null m
  | "positive-definite" ->
      let scale = integer () in
      let gram = matrix () in
      let m = matrix () in
      Checkers.check_positive_definite scale gram m
  | "not-positive-definite" ->
      let m = matrix () in
      let v = vector () in
      Checkers.check_not_positive_definite m v
  | "distinct" -> Checkers.check_distinct (vector ())
  | _ -> failwith "not a kind"

let () =
  let fine = try check () && word () = "" with Failure _ | End_of_file | Z.Overflow -> false in
  print_endline (if fine then "checked" else "BAD");
  exit (if fine then 0 else 1)
