//! Names of Go.

use super::Codec::{Base32, Base64, Hex, Inflate, Percent};
use super::{Effect, Rows};

pub(super) const NAMES: Rows = &[
    (Effect::Arguments, "os.Args"),
    (Effect::Getenv, "os.Getenv os.LookupEnv syscall.Getenv"),
    (Effect::Handles, "net/http.HandleFunc net/http.Handle"),
    (
        Effect::Network,
        "net/http.Get net/http.Post net/http.PostForm net/http.Head net/http.DefaultClient.Do
         net/http.DefaultClient.Get net/http.DefaultClient.Post net/http.Client().Do
         net/http.Client().Get net/http.Client().Post net/http.Client().PostForm net.Dial().Write
         net.Dial().Read net.DialTimeout().Write crypto/tls.Dial().Write net/smtp.SendMail
         github.com/gorilla/websocket.DefaultDialer.Dial().WriteMessage",
    ),
    (
        Effect::Connection,
        "net.Dial net.DialTimeout crypto/tls.Dial net/http.NewRequest net/http.NewRequestWithContext
         net.DialTCP",
    ),
    (
        Effect::Dns,
        "net.LookupHost net.LookupIP net.LookupTXT net.LookupAddr net.LookupCNAME
         net.DefaultResolver.LookupHost net.ResolveIPAddr",
    ),
    (
        Effect::Decode(Base64),
        "encoding/base64.StdEncoding.DecodeString encoding/base64.URLEncoding.DecodeString
         encoding/base64.RawStdEncoding.DecodeString encoding/base64.RawURLEncoding.DecodeString",
    ),
    (Effect::Decode(Base32), "encoding/base32.StdEncoding.DecodeString"),
    (Effect::Decode(Hex), "encoding/hex.DecodeString"),
    (Effect::Decode(Inflate), "compress/gzip.NewReader compress/zlib.NewReader compress/flate.NewReader"),
    (Effect::Decode(Percent), "net/url.QueryUnescape net/url.PathUnescape"),
    (
        Effect::LoadCode,
        "plugin.Open syscall.LoadLibrary syscall.NewLazyDLL golang.org/x/sys/windows.NewLazyDLL",
    ),
    (Effect::Execute, "github.com/traefik/yaegi/interp.New().Eval github.com/dop251/goja.New().RunString"),
    (
        Effect::Spawn,
        "os/exec.Command os/exec.CommandContext syscall.Exec os.StartProcess golang.org/x/sys/execabs.Command syscall.ForkExec",
    ),
    (Effect::Open, "os.Open os.OpenFile"),
    (Effect::Create, "os.Create os.CreateTemp io/ioutil.TempFile"),
    (Effect::Read, "os.ReadFile io/ioutil.ReadFile"),
    (Effect::Write, "os.WriteFile io/ioutil.WriteFile"),
    (Effect::Copy, "os.Rename os.Symlink os.Link"),
    (Effect::Delete, "os.RemoveAll os.Remove"),
    (Effect::JoinPath, "path/filepath.Join path.Join"),
    (
        Effect::Same,
        "compress/flate.NewWriter compress/gzip.NewWriter compress/zlib.NewWriter bufio.NewWriter
         string bytes.NewReader bytes.NewBuffer bytes.NewBufferString strings.NewReader io.ReadAll
         io/ioutil.ReadAll strings.TrimSpace encoding/json.Marshal encoding/json.MarshalIndent
         net/url.QueryEscape bufio.NewReader bufio.NewScanner path/filepath.Clean path/filepath.Abs
         strings.ToLower append encoding/base64.StdEncoding.EncodeToString
         encoding/base64.URLEncoding.EncodeToString encoding/hex.EncodeToString io.NopCloser strings.Join
         fmt.Sprint errors.New",
    ),
    (Effect::Whole, "os.Environ syscall.Environ"),
    (Effect::Home, "os.UserHomeDir os.UserConfigDir os.UserCacheDir"),
    (Effect::Temporary, "os.TempDir os.MkdirTemp"),
    (Effect::Identity, "os.Hostname os/user.Current net.InterfaceAddrs net.Interfaces"),
    (
        Effect::Capture,
        "github.com/atotto/clipboard.ReadAll github.com/kbinani/screenshot.CaptureRect
         github.com/go-vgo/robotgo.CaptureScreen",
    ),
    (
        Effect::Folder,
        "os.ReadDir io/ioutil.ReadDir path/filepath.Walk path/filepath.WalkDir path/filepath.Glob",
    ),
    (Effect::Clipboard, "github.com/atotto/clipboard.WriteAll"),
    (Effect::Pour, "io.Copy io.CopyN io.CopyBuffer fmt.Fprintf fmt.Fprint fmt.Fprintln io.WriteString"),
    (Effect::Format, "fmt.Sprintf"),
    (
        Effect::Digest,
        "len fmt.Println fmt.Printf log.Println log.Printf fmt.Errorf crypto/sha256.Sum256 crypto/md5.Sum
         os.Stat make panic strconv.Atoi",
    ),
    (Effect::Registry, "golang.org/x/sys/windows/registry.OpenKey().SetStringValue"),
];

pub(super) const METHODS: Rows = &[
    (Effect::Encrypt, "Seal"),
    (Effect::Write, "Write WriteString"),
    (Effect::Same, "String Bytes Text Body Trim"),
    (Effect::Handles, "HandleFunc AddTool GET POST"),
];
