/// Quoting for a POSIX shell (POSIX 2008, Shell Command Language §2.2.2).
public enum ShellWord {
    /// The text as one word that a shell hands on unchanged, whatever is in it: within single
    /// quotes nothing has a meaning, and a single quote itself is written outside of them.
    public static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
