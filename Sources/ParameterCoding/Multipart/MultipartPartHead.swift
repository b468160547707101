/// The head of one part of a multipart body (RFC 7578 §4).
public struct MultipartPartHead: Sendable, Hashable {
    /// One field line of the head.
    public struct Field: Sendable, Hashable {
        /// The name as written.
        public let name: String
        /// The value's bytes without surrounding white space.
        public internal(set) var value: [UInt8]

        /// A field line of the given name and value.
        public init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// The field lines in their order.
    public let fields: [Field]
    /// The `name` of Content-Disposition; nil if there is none. In it and in `filename`, the `%22`,
    /// `%0D` and `%0A` that browsers write for `"`, CR and LF are decoded; all other percent signs
    /// are literal. The original value is in `fields`.
    public let name: String?
    /// The file name, preferring `filename*` to `filename`; nil for a part that is not a file.
    public let filename: String?
    /// The value of Content-Type, or nil if there is none.
    public let contentType: String?
    /// The transfer encoding of the content; almost always none.
    public let transferEncoding: PartTransferEncoding

    init(fields: [Field], text: ByteText) {
        self.fields = fields
        func value(_ name: String) -> [UInt8]? {
            fields.first { $0.name.lowercased() == name }?.value
        }
        let disposition = value("content-disposition").map { bytes in
            FieldParameters(bytes.span, from: 0)
        }
        self.name = disposition?.text("name", text)
        filename = disposition?.text("filename", text)
        contentType = value("content-type").map { text.text($0.span) }
        transferEncoding = PartTransferEncoding(value("content-transfer-encoding"))
    }
}
