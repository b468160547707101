// The code of the documentation's pages; `SnippetRunTests` runs it.
import ClientLib
import Foundation
import ProxydClientTestSupport

// In this file the tests' site replaces the one that the code names.
extension Session {
    fileprivate static var `default`: Session { DocumentedSite.current.session }
}

extension ProxySettings {
    fileprivate static func proxyd(port: UInt16) -> ProxySettings {
        DocumentedSite.current.configuration.proxy
    }
}

enum GettingStartedSnippets {
    struct User: Codable, Sendable {
        let name: String
    }

    static func firstRequest() async throws {
        let user = try await Session.default.request("https://api.test/users/1")
            .validate()
            .serializingDecodable(User.self)
            .value
        print(user.name)
    }

    static func wholeResponse(_ session: Session) async {
        let response = await session.request("https://api.test/users/1")
            .validate()
            .serializingDecodable(User.self)
            .response
        switch response.result {
        case .success(let user): print(user.name, response.timeline.totalDuration)
        case .failure(let error): print(error.fault, error.phase, error.message)
        }
    }

    static func handlers(_ session: Session) -> DataRequest {
        session.request("https://api.test/users/1")
            .validate(statusCode: 200..<300)
            .responseDecodable(of: User.self) { response in
                print(response.value?.name ?? "nobody")
            }
    }

    static func parameters(_ session: Session) async throws {
        // GET https://api.test/search?page=2&q=a%20b
        let found = try await session.request(
            "https://api.test/search", parameters: ["q": "a b", "page": 2]
        ).serializingJSON().value

        // A value as JSON.
        let made = try await session.request(
            "https://api.test/users", method: .post, parameters: User(name: "Ada"),
            encoder: .json
        ).validate().serializingData().value
        print(found, made.count)
    }

    static func upload(_ session: Session, path: String) async throws {
        let request = session.upload(
            multipartFormData: { form in
                form.append("a holiday", name: "title")
                try form.append(fileAt: path, name: "photo")
            }, to: "https://api.test/photos")
        for await progress in request.uploadProgressUpdates() {
            print(progress.fractionCompleted)
        }
        print(try await request.serializingString().value)
    }

    static func download(_ session: Session, folder: URL) async throws {
        let file = try await session.download(
            "https://api.test/report.pdf",
            to: DownloadRequest.suggestedDownloadDestination(
                in: folder,
                options: [.createIntermediateDirectories, .removePreviousFile])
        ).validate().serializingDownloadedFileURL().value
        print(file.path)
    }

    static func stream(_ session: Session) async throws {
        let lines = session.streamRequest("https://api.test/events").validate().streamingStrings()
        for try await text in lines { print(text) }
    }

    static func configured() throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.headers.update(name: "User-Agent", value: "reporter/2")
        configuration.timeouts.connect = .seconds(5)
        configuration.proxy = .proxyd(port: 8080)
        return Session(configuration: configuration, interceptor: .retryPolicy)
    }

    static func readme() async throws -> User {
        var configuration = SessionConfiguration()
        configuration.proxy = .proxyd(port: 8080)  // every request shows up in proxyctl
        let session = Session(configuration: configuration)
        let user = try await session.request("https://api.test/users/1")
            .validate()
            .serializingDecodable(User.self)
            .value
        return user
    }
}
