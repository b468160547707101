/// What was wrong with what a server sent: kept beside the response that the client got.
public struct ResponseFault: Sendable, Hashable {
    /// A response, or the rest of one, that was not passed on.
    public struct Refusal: Sendable, Hashable {
        /// The most bytes that are kept.
        public static let byteCountMax = 64 << 10

        /// What came from the server: a head's beginning, or what stood around the place in a
        /// body where it could not be read on; at most `byteCountMax` bytes.
        public var octets: [UInt8]
        /// Why it was not passed on, one line for a person.
        public var reason: String

        /// A refusal. Of more bytes than `byteCountMax` the first are kept.
        public init(octets: [UInt8], reason: String) {
            self.octets =
                octets.count > Refusal.byteCountMax
                ? Array(octets[..<Refusal.byteCountMax]) : octets
            self.reason = reason
        }
    }

    /// What was refused; nil where all went on.
    public var refusal: Refusal?
    /// What was mended in what went on, one line each.
    public var repairs: [String]

    /// A fault.
    public init(refusal: Refusal? = nil, repairs: [String] = []) {
        self.refusal = refusal
        self.repairs = repairs
    }

    /// Takes over later news of the same response, which repeat what was mended before.
    public mutating func merge(_ later: ResponseFault) {
        refusal = later.refusal ?? refusal
        if !later.repairs.isEmpty { repairs = later.repairs }
    }
}
