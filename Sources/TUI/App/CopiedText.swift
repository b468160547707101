/// Bytes for the clipboard, and what to call them.
struct CopiedText: Sendable, Hashable {
    /// `URL`, `curl command`: said when it is done, and part of a file's name.
    var name: String
    var octets: [UInt8]

    init(name: String, _ text: String) {
        self.name = name
        octets = Array(text.utf8)
    }

    init(name: String, octets: [UInt8]) {
        self.name = name
        self.octets = octets
    }
}
