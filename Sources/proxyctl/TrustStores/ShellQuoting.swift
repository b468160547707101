internal import ProxydCurlCommand

/// Quotes words in commands that users copy to a shell. This program itself runs no shell.
enum ShellQuoting {
    /// A word quoted for a POSIX shell if necessary.
    static func quote(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
        let isPlain = !word.isEmpty && word.allSatisfy(plain.contains)
        return isPlain ? word : ShellWord.quoted(word)
    }

    /// Joins quoted words to a command.
    static func join(_ words: [String]) -> String {
        words.map(quote).joined(separator: " ")
    }
}
