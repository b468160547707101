/// Bytes to open in the user's editor.
struct EditRequest: Sendable, Hashable {
    /// The file name extension, which tells the editor the type, such as `json`.
    var fileExtension: String
    var bytes: [UInt8]
}

/// The text returned from the editor, or nil if it failed or nothing was saved.
struct EditedText: Sendable, Hashable {
    var bytes: [UInt8]?
}
