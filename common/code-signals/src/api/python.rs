//! Names of Python.

use super::Codec::{Base32, Base64, Base85, Compressed, Hex, Inflate, Marshal, Named, Percent};
use super::{Effect, Rows};

pub(super) const NAMES: Rows = &[
    (Effect::Text("/"), "os.sep os.path.sep"),
    (Effect::Text("python"), "sys.executable"),
    (Effect::Text("."), "__file__ __path__ os.curdir"),
    (Effect::Environ, "os.environ os.environb"),
    (Effect::Getenv, "os.getenv os.getenvb"),
    (Effect::Arguments, "sys.argv input raw_input"),
    (Effect::Request, "flask.request bottle.request quart.request self.request.body cgi.FieldStorage"),
    (
        Effect::Network,
        "urllib.request.urlopen urllib2.urlopen urllib.urlopen requests.get requests.post requests.put
         requests.patch requests.delete requests.head requests.request requests.Session().get
         requests.Session().post requests.Session().put requests.Session().request requests.session().get
         requests.session().post requests.sessions.Session().get requests.sessions.Session().post
         httpx.get httpx.post httpx.put httpx.request httpx.stream httpx.Client().get httpx.Client().post
         httpx.Client().put httpx.Client().request httpx.AsyncClient().get httpx.AsyncClient().post
         httpx.AsyncClient().request aiohttp.ClientSession().get aiohttp.ClientSession().post
         aiohttp.ClientSession().put aiohttp.request urllib3.PoolManager().request urllib3.request
         http.client.HTTPSConnection().request http.client.HTTPConnection().request
         httplib.HTTPSConnection().request httplib.HTTPConnection().request
         http.client.HTTPSConnection().getresponse http.client.HTTPConnection().getresponse
         socket.socket().send socket.socket().sendall socket.socket().sendto socket.socket().recv
         socket.socket().recvfrom socket.socket().makefile socket.create_connection().send
         socket.create_connection().sendall socket.create_connection().recv smtplib.SMTP().sendmail
         smtplib.SMTP_SSL().sendmail smtplib.SMTP().send_message smtplib.SMTP_SSL().send_message
         ftplib.FTP().storbinary ftplib.FTP().retrbinary websocket.create_connection().send
         websocket.create_connection().recv websocket.WebSocket().send websockets.connect().send
         websockets.connect().recv paramiko.SSHClient().exec_command telebot.TeleBot().send_message
         telebot.TeleBot().send_document discord_webhook.DiscordWebhook().execute
         discord.SyncWebhook.from_url().send discord.Webhook.from_url().send dhooks.Webhook().send
         pycurl.Curl().perform cloudscraper.create_scraper().get tls_client.Session().post
         curl_cffi.requests.post curl_cffi.requests.get urllib.request.build_opener().open
         urllib2.build_opener().open treq.get treq.post wget.download asyncio.open_connection().write
         ssl.wrap_socket().send xmlrpc.client.ServerProxy",
    ),
    (
        Effect::Connection,
        "web3.Web3 socket.socket socket.create_connection urllib.request.Request urllib2.Request
         http.client.HTTPSConnection http.client.HTTPConnection httplib.HTTPSConnection
         websocket.create_connection websockets.connect smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP
         socket.socket().connect asyncio.open_connection discord_webhook.DiscordWebhook dhooks.Webhook
         discord.SyncWebhook.from_url discord.Webhook.from_url",
    ),
    (Effect::Download, "urllib.request.urlretrieve urllib.urlretrieve"),
    (
        Effect::Dns,
        "socket.gethostbyname socket.getaddrinfo socket.gethostbyname_ex dns.resolver.resolve
         dns.resolver.query dns.resolver.Resolver().resolve dns.resolver.Resolver().query",
    ),
    (
        Effect::Decode(Base64),
        "base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes
         base64.decodestring binascii.a2b_base64 pybase64.b64decode",
    ),
    (Effect::Decode(Base32), "base64.b32decode"),
    (Effect::Decode(Base85), "base64.b85decode base64.a85decode"),
    (
        Effect::Decode(Hex),
        "bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex base64.b16decode",
    ),
    (Effect::Decode(Inflate), "zlib.decompress gzip.decompress zlib.decompressobj().decompress"),
    (Effect::Decode(Compressed), "bz2.decompress lzma.decompress"),
    (Effect::Decode(Marshal), "marshal.loads"),
    (Effect::Decode(Percent), "urllib.parse.unquote urllib.unquote"),
    (Effect::Decode(Named), "codecs.decode"),
    (
        Effect::Decode(Compressed),
        "cryptography.fernet.Fernet().decrypt Crypto.Cipher.AES.new().decrypt
         pyaes.AESModeOfOperationCTR().decrypt",
    ),
    (Effect::Encrypt, "cryptography.fernet.Fernet().encrypt Crypto.Cipher.AES.new().encrypt"),
    (
        Effect::Execute,
        "exec eval execfile types.FunctionType code.interact code.InteractiveInterpreter().runcode
         runpy.run_code",
    ),
    (Effect::Compile, "compile types.CodeType"),
    (
        Effect::LoadCode,
        "ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.WinDLL runpy.run_path imp.load_source
         imp.load_dynamic importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader
         importlib.machinery.ExtensionFileLoader os.startfile",
    ),
    (
        Effect::Shell,
        "os.system os.popen commands.getoutput subprocess.getoutput subprocess.getstatusoutput os.popen2
         os.popen3 asyncio.create_subprocess_shell asyncio.subprocess.create_subprocess_shell
         popen2.popen2",
    ),
    (
        Effect::Process,
        "subprocess.run subprocess.Popen subprocess.call subprocess.check_call subprocess.check_output",
    ),
    (
        Effect::Spawn,
        "os.execv os.execve os.execl os.execlp os.execvp os.spawnl os.spawnv os.spawnvp os.posix_spawn
         asyncio.create_subprocess_exec pty.spawn pexpect.spawn",
    ),
    (
        Effect::Open,
        "open io.open codecs.open aiofiles.open gzip.open os.fdopen file zipfile.ZipFile tarfile.open tarfile.TarFile tarfile.TarFile.open
         sqlite3.connect",
    ),
    (
        Effect::Read,
        "linecache.getlines numpy.fromfile PIL.Image.open imageio.imread cv2.imread pkgutil.get_data
         importlib.resources.read_binary importlib.resources.read_text",
    ),
    (
        Effect::Copy,
        "shutil.copy shutil.copyfile shutil.copy2 shutil.move os.rename os.replace os.link os.symlink
         shutil.copytree",
    ),
    (Effect::Delete, "shutil.rmtree os.remove os.unlink os.rmdir"),
    (
        Effect::JoinPath,
        "os.path.join pathlib.Path pathlib.PurePath posixpath.join ntpath.join pathlib.PosixPath
         pathlib.WindowsPath",
    ),
    (
        Effect::Same,
        "str unicode os.path.expanduser os.path.abspath os.path.realpath os.path.normpath
         os.path.expandvars os.fspath json.dumps repr urllib.parse.quote urllib.parse.urlencode
         urllib.parse.quote_plus memoryview textwrap.dedent inspect.cleandoc
         base64.b64encode base64.urlsafe_b64encode base64.b85encode base64.b32encode zlib.compress binascii.hexlify pickle.dumps
         web3.Web3.HTTPProvider web3.HTTPProvider re.compile asyncio.run asyncio.wait_for next iter asyncio.create_task typing.cast",
    ),
    (Effect::Whole, "dict list tuple set sorted copy.copy copy.deepcopy enumerate zip"),
    (Effect::Buffer, "io.BytesIO io.StringIO"),
    (
        Effect::Archive,
        "tarfile.open().add tarfile.TarFile().add zipfile.ZipFile().write tarfile.TarFile.open().add",
    ),
    (Effect::Home, "pathlib.Path.home os.path.expanduser()"),
    (Effect::Temporary, "tempfile.gettempdir tempfile.mkdtemp"),
    (Effect::Create, "tempfile.NamedTemporaryFile tempfile.TemporaryFile"),
    (
        Effect::Identity,
        "socket.gethostname socket.getfqdn platform.node platform.uname os.uname getpass.getuser
         os.getlogin uuid.getnode psutil.net_if_addrs psutil.users netifaces.interfaces pwd.getpwuid",
    ),
    (
        Effect::Capture,
        "pyperclip.paste PIL.ImageGrab.grab PIL.ImageGrab.grabclipboard pyautogui.screenshot
         mss.mss().shot mss.mss().grab pynput.keyboard.Listener keyboard.on_press keyboard.on_release
         keyboard.hook keyboard.record win32clipboard.GetClipboardData pyscreenshot.grab cv2.VideoCapture
         sounddevice.rec tkinter.Tk().clipboard_get",
    ),
    (Effect::Import, "__import__ importlib.import_module importlib.__import__"),
    (Effect::GetAttribute, "getattr operator.attrgetter"),
    (Effect::Globals, "globals locals vars"),
    (Effect::Characters, "chr unichr"),
    (Effect::Map, "map filter"),
    (
        Effect::Apply,
        "threading.Thread multiprocessing.Process atexit.register threading.Timer
         _thread.start_new_thread concurrent.futures.ThreadPoolExecutor().submit
         asyncio.get_event_loop().run_until_complete",
    ),
    (Effect::Bind, "functools.partial"),
    (Effect::Registry, "winreg.SetValueEx winreg.SetValue _winreg.SetValueEx"),
    // An opened key of the registry is known by its path.
    (
        Effect::JoinPath,
        "winreg.OpenKey winreg.OpenKeyEx winreg.CreateKey winreg.CreateKeyEx _winreg.OpenKey
         _winreg.CreateKey",
    ),
    (
        Effect::Text("\u{FFFC}/site-packages"),
        "site.getsitepackages() site.getusersitepackages() sysconfig.get_path() sysconfig.get_paths().purelib
         sysconfig.get_paths().platlib distutils.sysconfig.get_python_lib()",
    ),
    (Effect::Redirect, "os.dup2"),
    (Effect::Folder, "os.walk os.listdir os.scandir glob.glob glob.iglob"),
    (Effect::Clipboard, "pyperclip.copy win32clipboard.SetClipboardText win32clipboard.SetClipboardData"),
    (Effect::Format, "%format"),
    (Effect::Reverse, "reversed"),
    (
        Effect::Digest,
        "hashlib.sha256 hashlib.md5 hashlib.sha1 hashlib.sha512 len hash isinstance hasattr print bool
         float type id callable os.path.exists os.path.isfile os.path.isdir re.match zlib.crc32
         logging.info logging.debug logging.warning logging.error",
    ),
    (Effect::Quote, "shlex.quote pipes.quote"),
    (
        Effect::Memory,
        "ctypes.windll.kernel32.RtlMoveMemory ctypes.windll.kernel32.WriteProcessMemory
         ctypes.windll.ntdll.NtWriteVirtualMemory",
    ),
    (Effect::Unpickle, "pickle.load cPickle.load dill.load cloudpickle.load \
         pickle.loads cPickle.loads _pickle.loads dill.loads cloudpickle.loads jsonpickle.decode"),
    (Effect::ArchiveFolder, "shutil.make_archive"),
    (Effect::Setup, "setuptools.setup distutils.core.setup"),
    (Effect::TemporaryFile, "tempfile.mkstemp"),
    (Effect::WriteTo, "os.write os.pwrite"),
    (
        Effect::SitePackages,
        "site.getsitepackages site.getusersitepackages distutils.sysconfig.get_python_lib
         sysconfig.get_path",
    ),
    (Effect::Bytes, "bytes bytearray"),
    (Effect::CharacterNumber, "ord"),
    (Effect::ParsedNumber, "int"),
];

pub(super) const METHODS: Rows = &[
    (Effect::Read, "read readlines readline read_text read_bytes"),
    (Effect::Confide, "elicit create_message get_cookies storage_state"),
    (Effect::Write, "write writelines write_text write_bytes"),
    (Effect::Open, "open"),
    (Effect::JoinPath, "joinpath"),
    (Effect::Decode(Named), "decode"),
    (Effect::Decode(Compressed), "decrypt decompress"),
    (Effect::Encrypt, "encrypt encrypt_and_digest"),
    (Effect::Folder, "glob rglob iterdir"),
    (
        Effect::Same,
        "with_suffix with_name encode strip rstrip lstrip expanduser resolve absolute as_posix lower copy json text items keys
         values splitlines getvalue hex tobytes dict",
    ),
    (Effect::Pour, "%pour"),
    (Effect::Format, "format"),
    (Effect::Apply, "submit run_in_executor apply_async run_until_complete"),
    (Effect::Handles, "add_url_rule add_route add_tool add_api_route"),
    (Effect::Digest, "startswith endswith exists is_file is_dir info debug warning error hexdigest isdigit"),
];
