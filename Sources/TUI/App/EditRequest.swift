/// Bytes for the user's editor.
struct EditRequest: Sendable, Hashable {
    /// The end of the file's name, which tells the editor what it is: `json`.
    var fileExtension: String
    var octets: [UInt8]
}

/// What came back from the editor; nil where it failed or nothing was saved.
struct EditedText: Sendable, Hashable {
    var octets: [UInt8]?
}
