internal import FoundationEssentials
internal import Glibc

/// A private file for the user's editor, `$VISUAL` or `$EDITOR`.
final class EditorDraft {
    /// The path of the file, in a folder that only its owner can read.
    let path: String
    private let folder: String
    private let editor: String

    /// Writes the text to be edited.
    /// - Parameters:
    ///   - name: The file's name; editors depend on its extension.
    /// - Throws: `CommandFailure` if no editor is configured, or the file cannot be written.
    init(_ contents: [UInt8], named name: String) throws {
        guard let editor = Environment.current.editor else {
            throw CommandFailure("set $VISUAL or $EDITOR")
        }
        self.editor = editor
        let temporary = FileManager.default.temporaryDirectory.path
        var template = Array((temporary + "/proxyctl-edit-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("no temporary directory: \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = "\(folder)/\(name)"
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(contents), attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure("cannot write \(path)") }
    }

    /// Runs the editor and waits for it.
    /// - Throws: `CommandFailure` if it fails; the file is kept.
    func edit() throws {
        // The editor may have arguments; the file is a single argument, whatever its name contains.
        let command = ["/bin/sh", "-c", "\(editor) \"$1\"", "sh", path]
        let status = try ChildProgram(command).wait() ?? -1
        guard status == 0 else {
            throw CommandFailure("the editor exited with status \(status)")
        }
    }

    /// Removes the file.
    func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
