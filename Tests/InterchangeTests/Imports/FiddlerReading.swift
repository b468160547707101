import ProxydInterchange
import ProxydStoreTestSupport

/// Reads archives of Fiddler.
protocol FiddlerReading {}

extension FiddlerReading {
    func entries(_ file: any ArchiveFile) throws -> [InterchangeReader.WholeEntry] {
        var entries: [InterchangeReader.WholeEntry] = []
        var archive = try FiddlerArchive(file)
        try archive.read(progress: { _ in true }) { entry in
            switch entry {
            case .success(.exchange(let exchange)): entries.append(.success(exchange))
            case .success(.messages(let messages)):
                guard case .success(var last)? = entries.popLast() else { return }
                last.messages += messages
                entries.append(.success(last))
            case .success(.leftOut): break
            case .failure(let problem): entries.append(.failure(problem))
            }
        }
        return entries
    }
}
