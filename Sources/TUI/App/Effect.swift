/// What an update wants done in the world.
enum Effect: Sendable {
    /// Shows another screen or dialog above this one.
    case open(any ScreenModel)
    /// Takes this one away; the last one's end is the end of all.
    case close
    /// Takes this one away and tells the one below.
    case answer(any Sendable)
    /// Takes this one away and has the one below do something.
    case perform(ActionID)
    /// Runs something off the drawing thread; its result comes back as `ScreenNews`.
    case work(Work)
    /// Cancels what runs under a name.
    case cancelWork(slot: String)
    /// Remembers what a person chose, for screens to come.
    case remember(Habits)
    /// Says something in the line of hints, until the next key.
    case notify(Notice)
    /// Puts text into the clipboard, or into a file where the terminal has none.
    case copy(CopiedText)
    /// Gives the terminal to the user's editor; the text comes back as an answer (`EditedText`).
    case edit(EditRequest)
    case toggleMouse
    case redraw
    case suspend
    case quit
}

/// A line that tells what happened.
struct Notice: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case information, success, problem
    }

    var kind: Kind
    var text: String

    static func information(_ text: String) -> Notice { Notice(kind: .information, text: text) }
    static func success(_ text: String) -> Notice { Notice(kind: .success, text: text) }
    static func problem(_ text: String) -> Notice { Notice(kind: .problem, text: text) }
}

/// Octets for the clipboard, and what to call them.
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

/// Octets for the user's editor.
struct EditRequest: Sendable, Hashable {
    /// The end of the file's name, which tells the editor what it is: `json`.
    var fileExtension: String
    var octets: [UInt8]
}

/// What came back from the editor; nil where it failed or nothing was saved.
struct EditedText: Sendable, Hashable {
    var octets: [UInt8]?
}
