internal import ProxydCurlCommand

/// Words for commands that a person copies into a shell. This program itself runs no shell.
enum ShellQuoting {
    /// A word as a POSIX shell reads it back.
    static func quote(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
        let isPlain = !word.isEmpty && word.allSatisfy(plain.contains)
        return isPlain ? word : ShellWord.quoted(word)
    }

    /// A command of words.
    static func join(_ words: [String]) -> String {
        words.map(quote).joined(separator: " ")
    }
}
