extension ExchangeID {
    /// Whether a store that recorded the exchange itself can have given it this number. All others
    /// are identifiers in a store of many stores.
    public var isOwnNumber: Bool { rawValue >> ExchangeName.numberBits == 0 }
}

/// How users name an exchange: `4711`, or `ci-17:4711` where a store holds the exchanges of many
/// stores.
public struct ExchangeName: Sendable, Hashable, CustomStringConvertible {
    /// The name of the store that recorded the exchange, or nil in that store itself.
    public let storeName: String?
    /// The exchange's number in the store that recorded it.
    public let number: Int64

    /// The number of low bits of an `ExchangeID` in a store of many stores that hold the number in
    /// the store that recorded it. The bits above them tell these stores apart.
    public static let numberBits: Int64 = 34

    /// Names an exchange. `storeName` is nil if the identifier is from the store that recorded it.
    public init(_ id: ExchangeID, in storeName: String?) {
        self.storeName = storeName
        let mask: Int64 = 1 << ExchangeName.numberBits - 1
        number = storeName == nil ? id.rawValue : id.rawValue & mask
    }

    /// Reads `NUMBER` or `STORE:NUMBER`; nil if the text is neither.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            guard let number = Int64(text) else { return nil }
            self.number = number
            storeName = nil
            return
        }
        let digits = text[text.utf8.index(after: colon)...]
        guard colon > text.startIndex, let number = Int64(digits) else { return nil }
        self.number = number
        storeName = String(text[..<colon])
    }

    /// The name as a part of a file's name, without the colon.
    public var fileName: String { storeName.map { "\($0)-\(number)" } ?? "\(number)" }

    /// The name in the form that `init(_:)` reads.
    public var description: String { storeName.map { "\($0):\(number)" } ?? "\(number)" }
}
