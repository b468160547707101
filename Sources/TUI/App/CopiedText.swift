/// Bytes for the clipboard, and a name for them.
struct CopiedText: Sendable, Hashable {
    /// A name such as `URL` or `curl command`, for the notice and as part of a file name.
    var name: String
    var bytes: [UInt8]

    init(name: String, _ text: String) {
        self.name = name
        bytes = Array(text.utf8)
    }

    init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
