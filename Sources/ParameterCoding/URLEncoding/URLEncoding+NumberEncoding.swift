extension URLEncoding {
    /// How floating-point numbers are converted to text: the shortest digits that round-trip,
    /// identical on every platform.
    public struct NumberEncoding: Sendable, Hashable {
        /// The notation of the digits.
        public enum Notation: Sendable, Hashable {
            /// As Swift prints them: `1e+16`, `1e-05`, `-0.0`.
            case swift
            /// As JavaScript prints them: `10000000000000000`, `0.00001`, `0`. Whole numbers have
            /// no fraction, regardless of `wholeNumbersHaveFraction`.
            case javaScript
        }

        /// The notation of the digits.
        public var notation = Notation.swift
        /// Whether a whole number is written `1.0` (as in Swift) instead of `1` (as by NSNumber).
        public var wholeNumbersHaveFraction: Bool
        /// Whether `inf` and `nan` may be sent; if not, they are an error.
        public var allowsNonFinite: Bool

        /// By default, whole numbers are written as `1.0`, and non-finite numbers are an error.
        public init(wholeNumbersHaveFraction: Bool = true, allowsNonFinite: Bool = false) {
            self.wholeNumbersHaveFraction = wholeNumbersHaveFraction
            self.allowsNonFinite = allowsNonFinite
        }

        /// The text of a number; nil if it may not be sent.
        func text(_ number: Double) -> String? {
            guard number.isFinite || allowsNonFinite else { return nil }
            if notation == .javaScript { return JavaScriptNumber.text(number) }
            let text = number.description
            if wholeNumbersHaveFraction || !text.hasSuffix(".0") { return text }
            return String(text.dropLast(2))
        }
    }
}
