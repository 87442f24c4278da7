(** Checkers of certificates about integer matrices, with proofs that what they accept is true.

    Each checker is a function to [bool] that computes with lists of integers: it runs inside Coq
    (a file written by [symbench export coq]) or as the OCaml program of [Extract.v]. The theorem
    [..._sound] beside it says what follows when it answers [true]. Only Coq's standard library
    is used, and no axiom.

    - [singular_sound]: a vector v <> 0 with M v = 0.
    - [nonsingular_sound]: a left inverse of M modulo some m > 1.
    - [rank_sound]: such an inverse for a minor, and a null vector for every column beside it.
    - [positive_definite_sound]: c M = G^T G + R with c > 0 and R strictly diagonally dominant.
    - [not_positive_definite_sound]: a vector v <> 0 with v^T M v <= 0.
    - [distinct_sound]: a list of integers in which none occurs twice.

    Why integers suffice. A rational matrix becomes an integer one when it is multiplied by a
    common denominator, which is positive and changes none of these properties. A rational vector
    v likewise: some multiple d v with an integer d > 0 is an integer vector w; w = 0 exactly when
    v = 0, M w = 0 exactly when M v = 0, and w^T M w has the sign of v^T M v. So a statement about
    all integer vectors is one about all rational vectors. For a rational matrix this decides the
    real ones too: the solutions of M v = 0 over the reals are spanned by rational ones; and a form
    that is positive at all rational v <> 0 is nonnegative at real ones by continuity, where its
    zeros are null vectors of M, of which there is none but 0.

    What is trusted: Coq, with the virtual machine behind [vm_compute]; and that the matrix in an
    exported file is the one that was meant (it stands there in plain decimal numbers). For the
    extracted program also Coq's extraction, OCaml, zarith, which computes with the integers, and
    [main.ml], which reads the input.

    Build, in this folder, with Coq 8.16 (the second line with OCaml and zarith):
<<
    coqc -Q . Symbench Certificates.v
    coqc -Q . Symbench Extract.v && ocamlfind ocamlopt -package zarith -linkpkg \
         checkers.mli checkers.ml main.ml -o check
>>
*)

From Coq Require Import ZArith List Bool Lia Permutation Sorted Orders Mergesort.
Import ListNotations.
Open Scope Z_scope.
Arguments Z.mul : simpl never.
Arguments Z.add : simpl never.

(** * Vectors and matrices *)

Definition vector := list Z.
Definition matrix := list vector.  (* a list of rows *)

(** The scalar product u . v. *)
Fixpoint dot (u v : vector) : Z :=
  match u, v with
  | x :: u', y :: v' => x * y + dot u' v'
  | _, _ => 0
  end.

(** u + v, where the shorter one counts as filled up with zeros: many lemmas below then need no
    lengths. *)
Fixpoint add (u v : vector) : vector :=
  match u, v with
  | x :: u', y :: v' => (x + y) :: add u' v'
  | [], _ => v
  | _, [] => u
  end.

Definition scale (c : Z) (u : vector) : vector := map (Z.mul c) u.

(** The product M v of a matrix and a column. *)
Definition times (M : matrix) (v : vector) : vector := map (fun row => dot row v) M.

(** The product a M of a row and a matrix. *)
Fixpoint combination (a : vector) (M : matrix) : vector :=
  match a, M with
  | x :: a', row :: M' => add (scale x row) (combination a' M')
  | _, _ => []
  end.

(** v^T M v. *)
Definition form (M : matrix) (v : vector) : Z := dot v (times M v).

Definition zero (v : vector) : Prop := Forall (fun x => x = 0) v.

(** M has r rows, all of length c. *)
Definition shape (r c : nat) (M : matrix) : Prop :=
  length M = r /\ Forall (fun row => length row = c) M.

Definition square (M : matrix) : Prop := shape (length M) (length M) M.

Definition entry (M : matrix) (i j : nat) : Z := nth j (nth i M []) 0.

Definition symmetric (M : matrix) : Prop := square M /\ forall i j, entry M i j = entry M j i.

(** The same as tests. *)

Definition is_zero (v : vector) : bool := forallb (Z.eqb 0) v.

Definition has_shape (r c : nat) (M : matrix) : bool :=
  (length M =? r)%nat && forallb (fun row => (length row =? c)%nat) M.

Definition is_square (M : matrix) : bool := has_shape (length M) (length M) M.

Fixpoint equal (u v : vector) : bool :=
  match u, v with
  | x :: u', y :: v' => (x =? y) && equal u' v'
  | [], [] => true
  | _, _ => false
  end.

Definition is_symmetric (M : matrix) : bool :=
  is_square M &&
  forallb (fun j => equal (nth j M []) (map (fun row => nth j row 0) M)) (seq 0 (length M)).

Lemma is_zero_true v : is_zero v = true <-> zero v.
Proof.
  unfold is_zero, zero. rewrite forallb_forall, Forall_forall.
  split; intros H x I; specialize (H x I); lia.
Qed.

Lemma has_shape_true r c M : has_shape r c M = true -> shape r c M.
Proof.
  unfold has_shape, shape. rewrite andb_true_iff, forallb_forall, Forall_forall.
  intros [L H]. split; [now apply Nat.eqb_eq|].
  intros row I. now apply Nat.eqb_eq, H.
Qed.

Lemma equal_true u v : equal u v = true -> u = v.
Proof.
  revert v. induction u as [|x u IH]; intros [|y v] H; try discriminate; auto.
  apply andb_prop in H as [X H]. f_equal; [lia | now apply IH].
Qed.

Lemma nth_map (f : vector -> Z) M i : f [] = 0 -> nth i (map f M) 0 = f (nth i M []).
Proof. intros <-. apply map_nth. Qed.

Lemma is_symmetric_true M : is_symmetric M = true -> symmetric M.
Proof.
  unfold is_symmetric, symmetric. rewrite andb_true_iff, forallb_forall. intros [S H].
  apply has_shape_true in S. split; [exact S|].
  assert (inside : forall i j, (j < length M)%nat -> entry M j i = entry M i j).
  { intros i j J. unfold entry.
    rewrite (equal_true _ _ (H j (proj2 (in_seq _ _ _) (conj (Nat.le_0_l j) J)))).
    apply nth_map. now destruct j. }
  intros i j. destruct (Nat.lt_ge_cases j (length M)) as [J|J]; [now symmetry; apply inside|].
  destruct (Nat.lt_ge_cases i (length M)) as [I|I]; [now apply inside|].
  unfold entry. rewrite !(nth_overflow M) by assumption. now destruct i, j.
Qed.

(** * The rules of computation *)

Lemma dot_nil v : dot v [] = 0.
Proof. now destruct v. Qed.

Lemma dot_comm u v : dot u v = dot v u.
Proof. revert v; induction u; intros [|y v]; simpl; auto. rewrite IHu. lia. Qed.

Lemma dot_add u w v : dot (add u w) v = dot u v + dot w v.
Proof.
  revert w v; induction u as [|x u IH]; intros [|y w] [|z v]; simpl; try lia.
  rewrite IH. lia.
Qed.

Lemma dot_scale c u v : dot (scale c u) v = c * dot u v.
Proof. revert v; induction u as [|x u IH]; intros [|y v]; simpl; try lia. rewrite IH. lia. Qed.

Lemma dot_scale_r c u v : dot u (scale c v) = c * dot u v.
Proof. now rewrite dot_comm, dot_scale, dot_comm. Qed.

Lemma dot_zero u v : zero v -> dot u v = 0.
Proof.
  intro H. revert u. induction H as [|x v Z H IH]; intros [|y u]; simpl; auto. rewrite IH. lia.
Qed.

(** (a M) v = a (M v). *)
Lemma combination_dot a M v : dot (combination a M) v = dot a (times M v).
Proof.
  revert M; induction a as [|x a IH]; intros [|row M]; simpl; auto.
  now rewrite dot_add, dot_scale, IH.
Qed.

Lemma times_scale M c v : times M (scale c v) = scale c (times M v).
Proof.
  unfold times, scale at 2. rewrite map_map. apply map_ext. intro. apply dot_scale_r.
Qed.

Lemma zero_nth v : zero v <-> forall i, nth i v 0 = 0.
Proof.
  unfold zero. split.
  - intros H i. destruct (Nat.lt_ge_cases i (length v)) as [I|I].
    + now apply (proj1 (Forall_forall _ v) H), nth_In.
    + now apply nth_overflow.
  - intro H. apply Forall_forall. intros x I.
    destruct (In_nth v x 0 I) as (i & _ & <-). apply H.
Qed.

Lemma divide_scale m v : Forall (Z.divide m) v -> exists w, v = scale m w.
Proof.
  induction 1 as [|x v [q E] _ [w IH]]; [now exists [] |].
  exists (q :: w). simpl. rewrite E, IH. f_equal. lia.
Qed.

Lemma dot_divide m u v : Forall (Z.divide m) v -> (m | dot u v).
Proof.
  intro H. destruct (divide_scale m v H) as [w ->]. rewrite dot_scale_r. apply Z.divide_factor_l.
Qed.

(** * Singular: M v = 0 for a vector v that is not zero *)

Definition singular (M : matrix) : Prop :=
  square M /\ exists v, length v = length M /\ ~ zero v /\ zero (times M v).

Definition null_vector (c : nat) (M : matrix) (v : vector) : bool :=
  (length v =? c)%nat && is_zero (times M v).

Definition check_singular (M : matrix) (v : vector) : bool :=
  is_square M && null_vector (length M) M v && negb (is_zero v).

Lemma null_vector_true c M v : null_vector c M v = true -> length v = c /\ zero (times M v).
Proof. unfold null_vector. now rewrite andb_true_iff, Nat.eqb_eq, is_zero_true. Qed.

Lemma nonzero_true v : negb (is_zero v) = true -> ~ zero v.
Proof. rewrite negb_true_iff, <- is_zero_true. congruence. Qed.

Theorem singular_sound M v : check_singular M v = true -> singular M.
Proof.
  unfold check_singular. rewrite !andb_true_iff. intros [[S N] V].
  split; [now apply has_shape_true|]. exists v.
  apply null_vector_true in N as [L N]. auto using nonzero_true.
Qed.

(** * Nonsingular: a left inverse modulo m

    If A M = 1 modulo m and M v = 0, then v = A M v = 0 modulo m, so v = m w and M w = 0 again:
    every power of m divides v. Neither a determinant nor a prime is needed. *)

Definition nonsingular (M : matrix) : Prop :=
  square M /\ forall v, length v = length M -> zero (times M v) -> zero v.

(** The row is row i of the identity matrix, modulo m. *)
Fixpoint is_unit (m : Z) (i : nat) (row : vector) : bool :=
  match i, row with
  | O, x :: rest => ((x - 1) mod m =? 0) && forallb (fun y => y mod m =? 0) rest
  | S j, x :: rest => (x mod m =? 0) && is_unit m j rest
  | _, [] => false
  end.

(** A M = 1 modulo m; the matrix M has n columns, and its entries are reduced first. *)
Definition left_inverse (m : Z) (n : nat) (A M : matrix) : bool :=
  let residues := map (map (fun x => x mod m)) M in
  (1 <? m) && has_shape n (length M) A &&
  forallb (fun i => is_unit m i (combination (nth i A []) residues)) (seq 0 n).

Definition check_nonsingular (m : Z) (A M : matrix) : bool :=
  is_square M && left_inverse m (length M) A M.

Lemma mod_divide m x : 1 < m -> (x mod m =? 0) = true -> (m | x).
Proof. intros H E. apply Z.mod_divide; lia. Qed.

(** Reducing a row modulo m changes no product with it modulo m. *)
Lemma residues_dot m row v : 1 < m -> (m | dot row v) -> (m | dot (map (fun x => x mod m) row) v).
Proof.
  intro M. assert (E : forall row v, (m | dot row v - dot (map (fun x => x mod m) row) v)).
  { clear row v. induction row as [|x row IH]; intros [|y v]; simpl; try apply Z.divide_0_r.
    destruct (IH v) as [q E]. pose proof (Z.div_mod x m). exists (x / m * y + q). nia. }
  intros [p D]. destruct (E row v) as [q F]. exists (p - q). lia.
Qed.

Lemma is_unit_dot m i row v : 1 < m -> is_unit m i row = true -> (m | dot row v - nth i v 0).
Proof.
  intro M. revert row v. induction i as [|i IH]; intros [|x row] [|y v];
    try discriminate; intro H; try apply Z.divide_0_r; apply andb_prop in H as [X H];
    apply (mod_divide m _ M) in X as [q X]; cbn [dot nth].
  - assert (D : (m | dot v row)).
    { apply dot_divide, Forall_forall. rewrite forallb_forall in H.
      intros z I. now apply mod_divide, H. }
    rewrite dot_comm in D. destruct D as [p D]. exists (q * y + p). rewrite D. nia.
  - destruct (IH row v H) as [p D]. exists (q * y + p). nia.
Qed.

Lemma left_inverse_modulus m n A M : left_inverse m n A M = true -> 1 < m.
Proof. unfold left_inverse. rewrite !andb_true_iff. lia. Qed.

Lemma zero_times M v row : zero (times M v) -> In row M -> dot row v = 0.
Proof. intros N I. exact (proj1 (Forall_forall _ _) N _ (in_map _ _ _ I)). Qed.

(** One step of the descent. *)
Lemma left_inverse_divide m n A M v :
  left_inverse m n A M = true -> length v = n -> zero (times M v) -> Forall (Z.divide m) v.
Proof.
  intros H L N. pose proof (left_inverse_modulus m n A M H) as m1.
  unfold left_inverse in H. rewrite !andb_true_iff, forallb_forall in H. destruct H as [_ H].
  apply Forall_forall. intros x I. destruct (In_nth v x 0 I) as (i & B & <-).
  assert (R : In i (seq 0 n)) by (apply in_seq; lia).
  destruct (is_unit_dot m i _ v m1 (H i R)) as [p P]. rewrite combination_dot in P.
  set (M' := map (map (fun x => x mod m)) M) in P.
  assert (D : (m | dot (nth i A []) (times M' v))).
  { apply dot_divide. unfold M', times. rewrite map_map. apply Forall_map, Forall_forall.
    intros row J. apply residues_dot; [exact m1|].
    rewrite (zero_times M v row N J). apply Z.divide_0_r. }
  destruct D as [q Q]. exists (q - p). lia.
Qed.

Lemma left_inverse_powers m n A M : left_inverse m n A M = true ->
  forall (k : nat) v, length v = n -> zero (times M v) -> Forall (Z.divide (m ^ Z.of_nat k)) v.
Proof.
  intro H. pose proof (left_inverse_modulus m n A M H) as m1.
  induction k as [|k IH]; intros v L N.
  - apply Forall_forall. intros. apply Z.divide_1_l.
  - destruct (divide_scale m v (left_inverse_divide m n A M v H L N)) as [w ->].
    unfold scale in L. rewrite map_length in L.
    assert (K : zero (times M w)).
    { rewrite times_scale in N. apply Forall_map in N.
      refine (Forall_impl _ _ N). intros x E. nia. }
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. apply Forall_map.
    refine (Forall_impl _ _ (IH w L K)). intros x D. now apply Z.mul_divide_mono_l.
Qed.

Lemma left_inverse_injective m n A M v :
  left_inverse m n A M = true -> length v = n -> zero (times M v) -> zero v.
Proof.
  intros H L N. pose proof (left_inverse_modulus m n A M H) as m1.
  apply Forall_forall. intros x I.
  pose proof (left_inverse_powers m n A M H (Z.to_nat (Z.abs x)) v L N) as D.
  rewrite Z2Nat.id in D by lia. apply (proj1 (Forall_forall _ _)) with (x := x) in D; [|exact I].
  destruct (Z.eq_dec x 0) as [|X]; [assumption|exfalso].
  apply Z.divide_abs_r, Z.divide_pos_le in D; [|lia].
  pose proof (Z.pow_gt_lin_r m (Z.abs x)). lia.
Qed.

Theorem nonsingular_sound m A M : check_nonsingular m A M = true -> nonsingular M.
Proof.
  unfold check_nonsingular. rewrite andb_true_iff. intros [S H].
  split; [now apply has_shape_true|].
  intros v. exact (left_inverse_injective m (length M) A M v H).
Qed.

Theorem singular_not_nonsingular M : singular M -> ~ nonsingular M.
Proof. intros (_ & v & L & V & N) [_ H]. exact (V (H v L N)). Qed.

(** * Rank: a basis among the columns

    The rank is r when r of the columns form a basis of the space that all columns span: no
    combination of those r is zero but the trivial one, and every other column k is a rational
    combination of them, because a null vector is nonzero at k and at no other column beside the
    basis. The checker gets the first half from a minor, the second from the null vectors.
    Sets of rows and of columns are lists of booleans, one for each row or column. *)

Fixpoint keep {T : Type} (chosen : list bool) (l : list T) : list T :=
  match chosen, l with
  | b :: chosen', x :: l' => if b then x :: keep chosen' l' else keep chosen' l'
  | _, _ => []
  end.

Definition size (chosen : list bool) : nat := length (keep chosen chosen).

(** v is zero at every column beside the chosen ones that is not in the list. *)
Definition zero_beside (chosen : list bool) (except : list nat) (v : vector) : Prop :=
  forall j, nth j chosen false = false -> ~ In j except -> nth j v 0 = 0.

Definition column_basis (c : nat) (chosen : list bool) (M : matrix) : Prop :=
  (forall v, length v = c -> zero_beside chosen [] v -> zero (times M v) -> zero v) /\
  (forall k, (k < c)%nat -> nth k chosen false = false ->
   exists v, length v = c /\ zero (times M v) /\ nth k v 0 <> 0 /\ zero_beside chosen [k] v).

(** The matrix M with c columns has rank r. *)
Definition has_rank (c r : nat) (M : matrix) : Prop :=
  shape (length M) c M /\
  exists chosen, length chosen = c /\ size chosen = r /\ column_basis c chosen M.

(** Beside the chosen columns, v is nonzero at k and nowhere else. *)
Definition alone (chosen : list bool) (v : vector) (k : nat) : bool :=
  forallb (fun j => nth j chosen false || eqb (nth j v 0 =? 0) (negb (j =? k)%nat))
          (seq 0 (length v)).

(** The null vectors in [null], one after the other, belong to the columns k, k + 1, ... that are
    not chosen; [left] says which of these are. *)
Fixpoint null_basis (M : matrix) (chosen left : list bool) (k : nat) (null : matrix) : bool :=
  match left, null with
  | true :: left', _ => null_basis M chosen left' (S k) null
  | false :: left', v :: null' =>
      null_vector (length chosen) M v && alone chosen v k
      && null_basis M chosen left' (S k) null'
  | [], [] => true
  | _, _ => false
  end.

Definition check_rank (c r : nat) (m : Z) (rows columns : list bool) (A null M : matrix) : bool :=
  has_shape (length M) c M && (length columns =? c)%nat && (size columns =? r)%nat
  && left_inverse m r A (map (keep columns) (keep rows M))
  && null_basis M columns columns 0 null.

Lemma keep_dot chosen row v :
  zero_beside chosen [] v -> dot (keep chosen row) (keep chosen v) = dot row v.
Proof.
  unfold zero_beside. revert row v.
  induction chosen as [|b chosen IH]; intros row v H.
  - rewrite (dot_zero row v); [reflexivity|]. apply zero_nth. intro i.
    apply H; [now destruct i | auto].
  - destruct row as [|x row], v as [|y v]; try now destruct b.
    { simpl. now rewrite dot_nil. }
    assert (K := IH row v (fun j N _ => H (S j) N (fun F => F))). simpl. destruct b; simpl; [lia|].
    pose proof (H 0%nat eq_refl (fun F => F)) as E. simpl in E. lia.
Qed.

Lemma keep_zero chosen v : zero_beside chosen [] v -> zero (keep chosen v) -> zero v.
Proof.
  unfold zero_beside. revert v. induction chosen as [|b chosen IH]; intros [|y v] H K.
  - constructor.
  - apply zero_nth. intro i. apply H; [now destruct i | auto].
  - constructor.
  - pose proof (fun j N => H (S j) N) as T. destruct b; simpl in K.
    + inversion K; subst. constructor; auto. now apply IH.
    + constructor; [exact (H 0%nat eq_refl (fun F => F)) | now apply IH].
Qed.

Lemma keep_In {T} chosen (l : list T) x : In x (keep chosen l) -> In x l.
Proof.
  revert l. induction chosen as [|[] chosen IH]; intros [|y l]; simpl; intuition.
Qed.

Lemma keep_length {T} chosen (l : list T) :
  length chosen = length l -> length (keep chosen l) = size chosen.
Proof.
  unfold size. revert l. induction chosen as [|[] chosen IH]; intros [|y l] L; try discriminate;
    simpl in *; auto.
Qed.

Lemma alone_true chosen v k : (k < length v)%nat -> nth k chosen false = false ->
  alone chosen v k = true -> nth k v 0 <> 0 /\ zero_beside chosen [k] v.
Proof.
  unfold alone. rewrite forallb_forall. intros K C H. split.
  - specialize (H k). rewrite in_seq, C, Nat.eqb_refl in H. simpl in H.
    intro E. rewrite E in H. discriminate H. lia.
  - intros j J N. destruct (Nat.lt_ge_cases j (length v)) as [L|L]; [|now apply nth_overflow].
    specialize (H j). rewrite in_seq, J in H. simpl in H.
    replace (j =? k)%nat with false in H by (symmetry; apply Nat.eqb_neq; simpl in N; intuition).
    apply eqb_prop in H; lia.
Qed.

Lemma null_basis_true M chosen left k null : null_basis M chosen left k null = true ->
  forall i, (i < length left)%nat -> nth i left false = false ->
  exists v, null_vector (length chosen) M v = true /\ alone chosen v (k + i) = true.
Proof.
  revert k null. induction left as [|b left IH]; intros k null H i I N; [inversion I|].
  destruct b.
  - destruct i as [|i]; [discriminate|]. rewrite Nat.add_succ_r.
    apply (IH (S k) null H i); [simpl in I; lia | exact N].
  - destruct null as [|v null]; [discriminate|]. simpl in H. rewrite !andb_true_iff in H.
    destruct i as [|i]; [exists v; rewrite Nat.add_0_r; intuition|]. rewrite Nat.add_succ_r.
    apply (IH (S k) null (proj2 H) i); [simpl in I; lia | exact N].
Qed.

Theorem rank_sound c r m rows columns A null M :
  check_rank c r m rows columns A null M = true -> has_rank c r M.
Proof.
  unfold check_rank. rewrite !andb_true_iff, !Nat.eqb_eq. intros [[[[S C] R] I] N].
  split; [now apply has_shape_true|]. exists columns. do 2 (split; [assumption|]). split.
  - intros v L B Z. apply (keep_zero columns v B), (left_inverse_injective _ _ _ _ _ I).
    + rewrite <- R. apply keep_length. congruence.
    + unfold times. rewrite map_map. apply Forall_map, Forall_forall. intros row J.
      rewrite (keep_dot columns row v B). exact (zero_times M v row Z (keep_In _ _ _ J)).
  - intros k K F. rewrite <- C in K. destruct (null_basis_true _ _ _ _ _ N k K F) as (v & V & O).
    apply null_vector_true in V as [L V]. exists v. rewrite <- C. do 2 (split; [assumption|]).
    apply alone_true in O; auto. now rewrite L.
Qed.

(** * Positive definite: c M = G^T G + R with R strictly diagonally dominant

    Then c v^T M v = |G v|^2 + v^T R v. From 2 R_ij v_i v_j >= - |R_ij| (v_i^2 + v_j^2) for i <> j
    comes 2 v^T R v >= sum_i d_i v_i^2, where d_i is four times R_ii minus the absolute values of
    row i and of column i (each of which counts R_ii once). For a symmetric R the condition
    d_i > 0 says R_ii > sum over j <> i of |R_ij|. *)

Definition positive_definite (M : matrix) : Prop :=
  symmetric M /\ forall v, length v = length M -> ~ zero v -> 0 < form M v.

Fixpoint plus (M N : matrix) : matrix :=
  match M, N with
  | u :: M', v :: N' => add u v :: plus M' N'
  | [], _ => N
  | _, [] => M
  end.

(** G^T G is the sum of g^T g over the rows g of G. *)
Definition gram (G : matrix) : matrix :=
  fold_right (fun g => plus (map (fun x => scale x g) g)) [] G.

Definition remainder (c : Z) (G M : matrix) : matrix :=
  plus (map (scale c) M) (map (scale (-1)) (gram G)).

(** The entries R_(i,i), R_(i+1,i+1), ... where the first row of R is given the number i. *)
Fixpoint diagonal (i : nat) (R : matrix) : vector :=
  match R with
  | [] => []
  | row :: R' => nth i row 0 :: diagonal (S i) R'
  end.

Definition absolute (u : vector) : vector := map Z.abs u.
Definition sum (u : vector) : Z := fold_right Z.add 0 u.
Definition row_sums (R : matrix) : vector := map (fun row => sum (absolute row)) R.
Definition column_sums (R : matrix) : vector := fold_right (fun row => add (absolute row)) [] R.

(** The numbers d_i. *)
Definition margins (R : matrix) : vector :=
  add (scale 4 (diagonal 0 R)) (scale (-1) (add (row_sums R) (column_sums R))).

Definition check_positive_definite (c : Z) (G M : matrix) : bool :=
  let d := margins (remainder c G M) in
  is_symmetric M && (0 <? c) && forallb (fun g => (length g =? length M)%nat) G
  && (length d =? length M)%nat && forallb (Z.ltb 0) d.

Definition squares (v : vector) : vector := map (fun x => x * x) v.

Lemma form_plus M N v : form (plus M N) v = form M v + form N v.
Proof.
  assert (E : times (plus M N) v = add (times M v) (times N v)).
  { revert N. induction M as [|u M IH]; intros [|w N]; simpl; auto. now rewrite dot_add, IH. }
  unfold form. rewrite E, !(dot_comm v). apply dot_add.
Qed.

Lemma form_scale c M v : form (map (scale c) M) v = c * form M v.
Proof.
  unfold form, times. rewrite map_map, <- dot_scale_r. unfold scale at 2. rewrite map_map.
  f_equal. apply map_ext. intro. apply dot_scale.
Qed.

Lemma form_gram G v : 0 <= form (gram G) v.
Proof.
  induction G as [|g G IH]; simpl; [unfold form; now rewrite dot_nil|].
  rewrite form_plus. enough (form (map (fun x => scale x g) g) v = dot g v * dot g v) by nia.
  unfold form, times. rewrite map_map.
  rewrite (map_ext _ (Z.mul (dot g v))) by (intro; rewrite dot_scale; lia).
  fold (scale (dot g v) g). now rewrite dot_scale_r, (dot_comm v).
Qed.

Lemma pair_bound r x y : 0 <= 2 * x * (r * y) + x * x * Z.abs r + Z.abs r * (y * y).
Proof.
  destruct (Z.abs_spec r) as [[S ->]|[S ->]].
  - pose proof (Z.mul_nonneg_nonneg r ((x + y) * (x + y)) S (Z.square_nonneg _)). nia.
  - pose proof (Z.mul_nonneg_nonneg (- r) ((x - y) * (x - y)) ltac:(lia) (Z.square_nonneg _)). nia.
Qed.

(** What row r of R contributes, with x for the entry of v at that row. *)
Lemma row_bound r v x :
  0 <= 2 * x * dot r v + x * x * sum (absolute r) + dot (absolute r) (squares v).
Proof.
  revert v. induction r as [|z r IH]; intros [|y v]; simpl; try lia.
  - specialize (IH []). rewrite !dot_nil in IH. nia.
  - pose proof (pair_bound z x y). specialize (IH v). nia.
Qed.

Lemma diagonal_row_bound i r v : let x := nth i v 0 in
  4 * nth i r 0 * (x * x) <=
  2 * x * dot r v + x * x * sum (absolute r) + dot (absolute r) (squares v).
Proof.
  revert r v. induction i as [|i IH]; intros [|z r] [|y v]; simpl; try lia.
  - pose proof (row_bound r v y). pose proof (Z.mul_le_mono_nonneg_l z (Z.abs z) (y * y)). nia.
  - specialize (IH r v). simpl in IH. pose proof (pair_bound z (nth i v 0) y). nia.
Qed.

Lemma column_sums_bound R v : 0 <= dot (column_sums R) (squares v).
Proof.
  induction R as [|r R IH]; simpl; [lia|]. rewrite dot_add. pose proof (row_bound r v 0). lia.
Qed.

Lemma rows_bound R v : forall i w, (forall k, nth k w 0 = nth (i + k) v 0) ->
  4 * dot (diagonal i R) (squares w) <=
  2 * dot w (times R v) + dot (row_sums R) (squares w) + dot (column_sums R) (squares v).
Proof.
  induction R as [|r R IH]; intros i w W; simpl.
  - rewrite dot_nil. lia.
  - rewrite dot_add. pose proof (row_bound r v 0) as P. pose proof (column_sums_bound R v).
    destruct w as [|x w]; simpl; [lia|].
    assert (X : x = nth i v 0) by (rewrite <- (Nat.add_0_r i); apply (W 0%nat)).
    pose proof (diagonal_row_bound i r v) as D. rewrite <- X in D. simpl in D.
    specialize (IH (S i) w).
    assert (T : forall k, nth k w 0 = nth (S i + k) v 0).
    { intro k. rewrite Nat.add_succ_comm. apply (W (S k)). }
    specialize (IH T). nia.
Qed.

Lemma margins_bound R v : dot (margins R) (squares v) <= 2 * form R v.
Proof.
  unfold margins, form. rewrite dot_add, !dot_scale, dot_add.
  pose proof (rows_bound R v 0 v (fun k => eq_refl)). lia.
Qed.

Lemma positive_dot d v : forallb (Z.ltb 0) d = true ->
  0 <= dot d (squares v) /\ (length d = length v -> dot d (squares v) = 0 -> zero v).
Proof.
  revert v. induction d as [|x d IH]; intros [|y v] P; simpl;
    try (split; [lia | intros; solve [constructor | discriminate]]).
  simpl in P. apply andb_prop in P as [X P]. destruct (IH v P) as [N Z]. split; [nia|].
  intros L E. constructor; [nia|]. apply Z; [now injection L | nia].
Qed.

Theorem positive_definite_sound c G M :
  check_positive_definite c G M = true -> positive_definite M.
Proof.
  unfold check_positive_definite. rewrite !andb_true_iff, Nat.eqb_eq, Z.ltb_lt.
  intros [[[[S C] _] L] P]. split; [now apply is_symmetric_true|]. intros v V N.
  pose proof (margins_bound (remainder c G M) v) as B.
  unfold remainder in B at 2. rewrite form_plus, !form_scale in B.
  pose proof (form_gram G v). destruct (positive_dot _ v P) as [Q Z].
  assert (dot (margins (remainder c G M)) (squares v) <> 0) by (intro; apply N, Z; congruence).
  nia.
Qed.

(** * Not positive definite: v^T M v <= 0 for a vector v that is not zero *)

Definition not_positive_definite (M : matrix) : Prop :=
  symmetric M /\ exists v, length v = length M /\ ~ zero v /\ form M v <= 0.

Definition check_not_positive_definite (M : matrix) (v : vector) : bool :=
  is_symmetric M && (length v =? length M)%nat && negb (is_zero v) && (form M v <=? 0).

Theorem not_positive_definite_sound M v :
  check_not_positive_definite M v = true -> not_positive_definite M.
Proof.
  unfold check_not_positive_definite. rewrite !andb_true_iff, Nat.eqb_eq, Z.leb_le.
  intros [[[S L] N] F]. split; [now apply is_symmetric_true|]. exists v. auto using nonzero_true.
Qed.

Theorem not_positive_definite_not M : not_positive_definite M -> ~ positive_definite M.
Proof. intros (_ & v & L & N & F) [_ H]. specialize (H v L N). lia. Qed.

(** * Distinct integers: sorted, they increase strictly *)

Module Order <: TotalLeBool.
  Definition t := Z.
  Definition leb := Z.leb.
  Lemma leb_total : forall x y, leb x y = true \/ leb y x = true.
  Proof. unfold leb. lia. Qed.
End Order.

Module Sorting := Sort Order.

Fixpoint increasing (l : list Z) : bool :=
  match l with
  | x :: ((y :: _) as rest) => (x <? y) && increasing rest
  | _ => true
  end.

Definition check_distinct (l : list Z) : bool := increasing (Sorting.sort l).

Lemma increasing_NoDup l : increasing l = true -> NoDup l.
Proof.
  intro H. assert (S : StronglySorted Z.lt l).
  { apply Sorted_StronglySorted; [intros x y z; lia|].
    induction l as [|x [|y l] IH]; auto. apply andb_prop in H as [X H].
    constructor; [now apply IH | constructor; lia]. }
  clear H. induction S as [|x l S IH F]; constructor; [|exact IH].
  intro I. rewrite Forall_forall in F. specialize (F x I). lia.
Qed.

Theorem distinct_sound l : check_distinct l = true -> NoDup l.
Proof.
  intro H. apply (Permutation_NoDup (Permutation_sym (Sorting.Permuted_sort l))).
  now apply increasing_NoDup.
Qed.
