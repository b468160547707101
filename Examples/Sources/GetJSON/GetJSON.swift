import ClientLib

/// One entry of a catalogue: `{"title": "Emma", "author": "Jane Austen", "year": 1815}`.
struct Book: Decodable, Sendable {
    let title: String
    let author: String
    let year: Int?
}

/// Gets a catalogue of books and prints it, with the time that each step took.
///
/// `GetJSON URL [PORT]`; with the port of a running proxyd, the request goes through it and is in
/// its list afterwards.
@main
struct GetJSON {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let url = arguments.first else { throw Usage() }
        var configuration = SessionConfiguration.default
        if let port = arguments.dropFirst().first.flatMap({ UInt16($0) }) {
            configuration.proxy = .proxyd(port: port)
        }
        let session = Session(configuration: configuration)
        defer { session.shutdown() }

        let response = await session.request(url, headers: ["Accept": "application/json"])
            .validate()
            .serializingDecodable([Book].self)
            .response
        switch response.result {
        case .success(let books):
            for book in books {
                print("\(book.title), \(book.author)\(book.year.map { ", \($0)" } ?? "")")
            }
            print(response.timeline)
        case .failure(let error):
            // Whose fault it is, in which phase, and what happened.
            print(error)
            throw error
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "usage: GetJSON URL [PORT-OF-PROXYD]"
    }
}
