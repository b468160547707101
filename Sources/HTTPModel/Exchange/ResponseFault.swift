/// Errors in what a server sent; stored together with the response that the client got.
public struct ResponseFault: Sendable, Hashable {
    /// A response, or the rest of one, that was not forwarded.
    public struct Refusal: Sendable, Hashable {
        /// The maximum number of bytes that are stored.
        public static let byteCountMax = 64 << 10

        /// Bytes from the server: the beginning of a head, or the bytes around the fault in a body;
        /// at most `byteCountMax`.
        public var bytes: [UInt8]
        /// Why they were not forwarded, as one line for the user.
        public var reason: String

        /// Creates a refusal; stores the first `byteCountMax` bytes.
        public init(bytes: [UInt8], reason: String) {
            self.bytes =
                bytes.count > Refusal.byteCountMax
                ? Array(bytes[..<Refusal.byteCountMax]) : bytes
            self.reason = reason
        }
    }

    /// What was not forwarded; nil if everything was.
    public var refusal: Refusal?
    /// The repairs of what was forwarded, one line each.
    public var repairs: [String]

    /// Creates a fault.
    public init(refusal: Refusal? = nil, repairs: [String] = []) {
        self.refusal = refusal
        self.repairs = repairs
    }

    /// Merges later information about the same response, which repeats earlier repairs.
    public mutating func merge(_ later: ResponseFault) {
        refusal = later.refusal ?? refusal
        if !later.repairs.isEmpty { repairs = later.repairs }
    }
}
