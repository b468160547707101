/// Makes the secret that clients of a server carry.
public enum WebToken {
    private static let byteCount = 32

    /// Returns 256 random bits as 64 hexadecimal digits.
    public static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
