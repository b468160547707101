extension URLEncoding {
    /// How floating-point numbers become text: the shortest digits that read back as the same
    /// number, the same on every platform.
    public struct NumberEncoding: Sendable, Hashable {
        /// The form of the digits.
        public enum Notation: Sendable, Hashable {
            /// As Swift prints them: `1e+16`, `1e-05`, `-0.0`.
            case swift
            /// As JavaScript prints them: `10000000000000000`, `0.00001`, `0`. Whole numbers have
            /// no fraction, whatever `wholeNumbersHaveFraction` says.
            case javaScript
        }

        /// The form of the digits.
        public var notation = Notation.swift
        /// Whether a whole number is written `1.0` (Swift's way) and not `1` (NSNumber's).
        public var wholeNumbersHaveFraction: Bool
        /// Whether `inf` and `nan` may be sent. Off: they are an error.
        public var allowsNonFinite: Bool

        /// `1.0`, and an error for what is not finite, unless told otherwise.
        public init(wholeNumbersHaveFraction: Bool = true, allowsNonFinite: Bool = false) {
            self.wholeNumbersHaveFraction = wholeNumbersHaveFraction
            self.allowsNonFinite = allowsNonFinite
        }

        /// The text of a number; nil where it may not be sent.
        func text(_ number: Double) -> String? {
            guard number.isFinite || allowsNonFinite else { return nil }
            if notation == .javaScript { return JavaScriptNumber.text(number) }
            let text = number.description
            if wholeNumbersHaveFraction || !text.hasSuffix(".0") { return text }
            return String(text.dropLast(2))
        }
    }
}
