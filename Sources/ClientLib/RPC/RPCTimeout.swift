/// Formats the value of `grpc-timeout` (gRPC's PROTOCOL-HTTP2.md, "Timeout").
enum RPCTimeout {
    /// At most eight digits and a unit, rounded up; uses the finest unit that fits.
    static func value(_ duration: Duration) -> String {
        let nanoseconds = max(1, duration.nanoseconds)
        let units: [(Int64, String)] = [
            (1, "n"), (1_000, "u"), (1_000_000, "m"), (1_000_000_000, "S"),
            (60_000_000_000, "M"), (3_600_000_000_000, "H"),
        ]
        for (length, unit) in units {
            let count = nanoseconds / length + (nanoseconds % length == 0 ? 0 : 1)
            if count <= 99_999_999 { return "\(count)\(unit)" }
        }
        return "99999999H"
    }
}
