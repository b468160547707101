/// Converts field names to JSON.
enum JSONName {
    /// Converts `foo_bar` to `fooBar`, as `protoc` does for a field without `json_name`.
    static func lowerCamelCase(_ name: some StringProtocol) -> String {
        var text = String.UnicodeScalarView()
        var isUppercased = false
        for scalar in name.unicodeScalars {
            if scalar == "_" {
                isUppercased = true
            } else {
                text.append(isUppercased ? uppercased(scalar) : scalar)
                isUppercased = false
            }
        }
        return String(text)
    }

    private static func uppercased(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("a"..."z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) &- 32) : scalar
    }
}
