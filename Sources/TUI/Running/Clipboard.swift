internal import ProxydPresentation
internal import FoundationEssentials

/// Copies bytes to where the user can paste them: to the terminal's clipboard, and to a file,
/// because a terminal cannot be asked whether it has a clipboard.
struct Clipboard {
    /// Terminals reject more, or hang on it.
    static let terminalByteCountMax = 74_994

    let directory: String

    /// Sends the bytes to the terminal's clipboard; if they are too large, shows the name of the
    /// file.
    func copy(_ text: CopiedText, _ terminal: Terminal) -> Notice {
        let size = Quantity.bytes(Int64(text.bytes.count))
        let path = try? write(text.bytes)
        if text.bytes.count <= Clipboard.terminalByteCountMax {
            terminal.copy(Data(text.bytes).base64EncodedString())
            return .success(
                "copied: \(text.name), \(size)" + (path.map { " (also in \($0))" } ?? ""))
        }
        guard let path else { return .problem("cannot write to \(directory): nothing was copied") }
        terminal.copy(Data(path.utf8).base64EncodedString())
        return .success("\(text.name), \(size), is in \(path); copied the path instead")
    }

    /// Replaces the file, which only its owner can read.
    func write(_ bytes: [UInt8]) throws -> String {
        try PrivateDirectory.make(directory)
        let path = directory + "/copied"
        try PrivateDirectory.write(bytes, to: path)
        return path
    }
}
