/// The value of `grpc-timeout` (gRPC's PROTOCOL-HTTP2.md, "Timeout").
enum GRPCTimeout {
    /// The timeout in decimal seconds, `1.5` for `1500m`; nil if it is invalid.
    static func seconds(_ text: String) -> String? {
        let digits = text.dropLast()
        guard (1...8).contains(digits.utf8.count), let unit = text.last,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
        else { return nil }
        switch unit {
        case "H": return String(number * 3_600)
        case "M": return String(number * 60)
        case "S": return String(number)
        case "m": return decimal(number, places: 3)
        case "u": return decimal(number, places: 6)
        case "n": return decimal(number, places: 9)
        default: return nil
        }
    }

    private static func decimal(_ number: Int64, places: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let fraction = padded.suffix(places).reversed().drop { $0 == "0" }.reversed()
        let whole = String(padded.dropLast(places))
        return fraction.isEmpty ? whole : "\(whole).\(String(fraction))"
    }
}
