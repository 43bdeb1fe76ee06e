//! Days of the Gregorian calendar, counted.

/// Counts the days from the beginning of 1970 to that day.
///
/// Howard Hinnant, "`chrono`-Compatible Low-Level Date Algorithms": `days_from_civil`.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that a leap day is their last.
    let year = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468
}
