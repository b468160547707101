/// Formats the value of `grpc-timeout` (gRPC's PROTOCOL-HTTP2.md, "Timeout").
enum RPCTimeout {
    /// The units, the finest first, each with its length in nanoseconds.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000),
        ("M", 60_000_000_000), ("H", 3_600_000_000_000),
    ]

    /// At most eight digits and a unit, rounded up; uses the finest unit that fits.
    static func value(_ duration: Duration) -> String {
        let nanoseconds = max(1, duration.nanoseconds)
        for unit in units {
            let (count, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit.nanoseconds)
            let roundedUp = rest == 0 ? count : count + 1
            if roundedUp <= 99_999_999 { return "\(roundedUp)\(unit.name)" }
        }
        return "99999999H"
    }
}
