//! Tables are read as they are meant, and what is wrong with them is told.

use kameleon_gp::{Dataset, GpError, Inputs, glass};

fn read(text: &str) -> Result<Dataset, GpError> {
    Dataset::read(text.as_bytes(), "class", None)
}

fn complaint(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_table_gives_named_columns_and_signed_labels() {
    let data = read("a, class ,b\n1,yes,4\n2,no,5\n3,yes,7\n").unwrap();
    assert_eq!(data.inputs().names(), ["a", "b"]);
    assert_eq!(data.inputs().column(1), [4.0, 5.0, 7.0]);
    assert_eq!(data.y(), [1.0, -1.0, 1.0]);
    assert_eq!(data.classes(), &["no".to_owned(), "yes".to_owned()]);
}

#[test]
fn the_larger_number_is_positive_unless_the_user_says_otherwise() {
    let text = "class,a\n10,1\n9,2\n";
    assert_eq!(read(text).unwrap().y(), [1.0, -1.0]);
    let data = Dataset::read(text.as_bytes(), "class", Some("9")).unwrap();
    assert_eq!(data.y(), [-1.0, 1.0]);
    let wrong = Dataset::read(text.as_bytes(), "class", Some("8")).unwrap_err();
    assert_eq!(wrong.to_string(), "label column `class` has 9 and 10, not `8`");
}

#[test]
fn one_of_many_classes_is_separated_from_the_rest() {
    let text = "class,a\nx,1\ny,2\nz,3\ny,4\n";
    let data = Dataset::read(text.as_bytes(), "class", Some("y")).unwrap();
    assert_eq!(data.y(), [-1.0, 1.0, -1.0, 1.0]);
    assert_eq!(data.classes(), &["the rest".to_owned(), "y".to_owned()]);
    let wrong = Dataset::read(text.as_bytes(), "class", Some("w")).unwrap_err();
    assert_eq!(wrong.to_string(), "label column `class` has x, y, z, not `w`");
}

#[test]
fn what_is_wrong_is_named_with_row_and_column() {
    assert_eq!(complaint("a,class\n1,x\n?,y\n"), "row 2, column `a`: the value is missing");
    assert_eq!(complaint("a,class\n1,x\n2,\n"), "row 2, column `class`: the value is missing");
    assert_eq!(complaint("a,class\n1,x\n2;5,y\n"), "row 2, column `a`: `2;5` is not a finite number");
    assert_eq!(complaint("a,class\ninf,x\n2,y\n"), "row 1, column `a`: `inf` is not a finite number");
    assert_eq!(complaint("a,b,class\n1,3,x\n2,3,y\n"), "column `b` is constant: every row has 3; leave it out");
    assert_eq!(complaint("a,class\n1,x\n2,x\n"), "label column `class` must have two values, not 1: x");
    assert!(complaint("a,class\n1,x\n2,y\n3,z\n").starts_with(
        "label column `class` must have two values, not 3: x, y, z; to separate one of them from the rest, make it positive \
         (--positive z)"
    ));
    assert!(complaint("a;class\n1;x\n").ends_with(
        "the table has a;class. Columns are separated by commas: this file seems to \
         use semicolons or tabs, so convert it"
    ));
    assert_eq!(complaint("a,b\n1,x\n"), "there is no column `class`; the table has a, b");
    assert_eq!(complaint("a,a,class\n1,1,x\n"), "two columns are named `a`");
    assert_eq!(complaint("a,class\n"), "the table has no rows or no input columns");
    assert_eq!(complaint("class\nx\n"), "the table has no rows or no input columns");
    assert!(complaint("a,class\n1,x\n2\n").starts_with("cannot read the table: "));
}

#[test]
fn new_rows_are_read_by_name_and_need_no_label() {
    let names = ["b".to_owned(), "a".to_owned()];
    let inputs = Inputs::read("a,note,b\n1,?,2\n3,?,4\n".as_bytes(), &names).unwrap();
    assert_eq!(inputs.values(), [2.0, 4.0, 1.0, 3.0]);
    assert!(Inputs::read("a\n1\n".as_bytes(), &names).is_err());
}

#[test]
fn glass_has_163_windows_among_214_rows_and_one_pair_of_equal_rows() {
    let data = glass();
    assert_eq!(data.inputs().names(), ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]);
    assert_eq!(data.y().iter().filter(|&&y| y == 1.0).count(), 163);
    assert_eq!(data.y().len(), 214);
    assert!((0..9).all(|d| data.inputs().column(d)[38] == data.inputs().column(d)[39]));
}
