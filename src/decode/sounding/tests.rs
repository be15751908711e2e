//! Every form, written by hand; damage; what is missing.

use super::*;

const RAW: &str = "%TITLE%
 KLKF   310509/2100  37.74,-98.21

   LEVEL       HGHT       TEMP       DWPT       WDIR       WSPD
-------------------------------------------------------------------
%RAW%
 1000.00,    40.00,  -9999.00,  -9999.00,  -9999.00,  -9999.00
  960.00,   450.00,     28.00,     21.00,    160.00,     15.00
  900.00,  1010.00,     22.00,     18.00,    180.00,     30.00
  870.00,  -9999.0,  -9999.00,  -9999.00,    190.00,     34.00
  800.00,  2030.00,     16.00,      8.00,  -9999.00,  -9999.00
  700.00,  3140.00,      8.00,     -5.00,    230.00,     40.00
  500.00,  5820.00,    -12.00,  -9999.00,    250.00,     60.00
  scribble
%END%
850-500mb   27 C
";

const BUFKIT: &str = "SNPARM = PRES;TMPC;DWPC;DRCT;SKNT;HGHT
STNPRM = SHOW;CAPE

STID = STNM = 999990 TIME = 310509/1800
SLAT = 37.74 SLON = -98.21 SELV = 440.0
STIM = 0

SHOW = -2.00 CAPE = 1200.00

PRES TMPC DWPC DRCT
SKNT HGHT
960.00 28.00 21.00 160.00
15.00 450.00
850.00 20.00 12.00 200.00
30.00 1500.00
700.00 8.00 -5.00 230.00
40.00 3140.00
500.00 -12.00 -9999.00 250.00
60.00 5820.00

STID = KLKF STNM = 999990 TIME = 310509/1900
SLAT = 37.74 SLON = -98.21 SELV = 440.0
STIM = 1

PRES TMPC DWPC DRCT
SKNT HGHT
960.00 29.00 21.00 160.00 15.00 450.00
850.00 20.00 12.00 200.00 30.00 1500.00
700.00 8.00 -5.00 230.00 40.00 3140.00
500.00 -12.00 -30.00 250.00 60.00 5820.00

STID = KLKF STNM = 999990 TIME = 310509/2000
STIM = 2

STN YYMMDD/HHMM PMSL PRES
999990 310509/1800 1005.00 960.00
";

const WYOMING: &str = "<HTML>
<TITLE>University of Wyoming - Radiosonde Data</TITLE>
<BODY BGCOLOR=\"white\">
<H2>99999 LKF Larkfield Observations at 00Z 10 May 2031</H2>
<PRE>
-----------------------------------------------------------------------------
   PRES   HGHT   TEMP   DWPT   RELH   MIXR   DRCT   SKNT   THTA   THTE   THTV
    hPa     m      C      C      %    g/kg    deg   knot     K      K      K
-----------------------------------------------------------------------------
 1000.0     40
  960.0    450   28.0   21.0     66  16.59    160     15  304.7  354.7  307.7
  900.0   1010   22.0   18.0     78  14.63    180     30  304.2  347.9  306.8
  800.0   2030   16.0                         200     34  308.2
  700.0   3140    8.0   -5.0     39   3.80    230     40  311.3  324.0  312.0
  500.0   5820  -12.0  -30.0     21   0.66    250     60  318.3  320.9  318.4
</PRE><H3>Station information and sounding indices</H3><PRE>
                         Station identifier: LKF
                             Station number: 99999
                           Observation time: 310510/0000
                           Station latitude: 37.74
                          Station longitude: -98.21
                          Station elevation: 450.0
</PRE>
";

fn levels(sounding: &Sounding) -> Vec<f64> {
    sounding.column.levels().iter().map(|level| level.pressure_hpa).collect()
}

#[test]
fn the_raw_form() {
    let read = soundings(RAW.as_bytes()).unwrap();
    let [sounding] = &read.soundings[..] else { panic!("{read:?}") };
    assert_eq!((read.form, sounding.station.as_deref()), (Form::SpcRaw, Some("KLKF")));
    assert_eq!(sounding.valid_utc.unwrap().to_string(), "2031-05-09T21:00:00Z");
    assert_eq!(sounding.place, LatLon::new(37.74, -98.21).ok());
    // The ground is the first level with a temperature; the wind at 870 hPa has its temperature and height from around it.
    assert_eq!(levels(sounding), [960.0, 900.0, 870.0, 800.0, 700.0, 500.0]);
    let between = sounding.column.levels()[2];
    assert!((between.temperature_c - 20.27).abs() < 0.02 && (between.height_msl_m - 1303.6).abs() < 1.0, "{between:?}");
    assert_eq!(between.dew_point_c, None);
    assert!((between.wind.unwrap().speed_ms() - 34.0 * 1852.0 / 3600.0).abs() < 1e-9);
    assert_eq!(sounding.column.levels()[3].wind, None);
    assert!(read.faults.len() == 1 && read.faults[0].what.contains("scribble") && read.faults[0].kept_rest);
}

#[test]
fn stamps_of_the_last_century() {
    let told = |text: &str| stamp(text).map(|at| at.to_string());
    assert_eq!(told("610515/0000").as_deref(), Some("1961-05-15T00:00:00Z"));
    assert_eq!(told("140616/1900").as_deref(), Some("2014-06-16T19:00:00Z"));
    for wrong in ["", "1406/1900", "141316/1900", "14061é/1900", "140616 1900"] {
        assert_eq!(told(wrong), None, "{wrong}");
    }
}

#[test]
fn bufkit_with_several_times_and_one_that_is_empty() {
    let read = soundings(BUFKIT.as_bytes()).unwrap();
    assert_eq!((read.form, read.soundings.len()), (Form::Bufkit, 2));
    let hours: Vec<_> = read.soundings.iter().map(|s| (s.station.as_deref(), s.forecast_hour)).collect();
    assert_eq!(hours, [(Some("999990"), Some(0)), (Some("KLKF"), Some(1))]);
    assert_eq!(read.soundings[1].valid_utc.unwrap().to_string(), "2031-05-09T19:00:00Z");
    assert_eq!(levels(&read.soundings[0]), [960.0, 850.0, 700.0, 500.0]);
    assert_eq!(read.soundings[0].column.surface().temperature_c, 28.0);
    assert_eq!(read.soundings[0].column.top().dew_point_c, None);
    assert!(read.faults.len() == 1 && read.faults[0].what.contains("no table"), "{:?}", read.faults);
}

#[test]
fn a_page_of_wyoming() {
    let read = soundings(WYOMING.as_bytes()).unwrap();
    let [sounding] = &read.soundings[..] else { panic!("{read:?}") };
    assert_eq!((read.form, sounding.station.as_deref()), (Form::Wyoming, Some("LKF")));
    assert_eq!(sounding.valid_utc.unwrap().to_string(), "2031-05-10T00:00:00Z");
    assert_eq!(sounding.place, LatLon::new(37.74, -98.21).ok());
    assert_eq!(levels(sounding), [960.0, 900.0, 800.0, 700.0, 500.0]);
    let blank = sounding.column.levels()[2];
    assert_eq!((blank.dew_point_c, blank.wind.unwrap().from_deg().round()), (None, 200.0));
    // Without the second table the heading tells when and where; speeds in m/s are taken as such.
    let short = WYOMING.split("</PRE>").next().unwrap().replace("SKNT", "SPED").replace("knot", "m/s ");
    let read = soundings(short.as_bytes()).unwrap();
    let sounding = &read.soundings[0];
    assert_eq!(sounding.valid_utc.unwrap().to_string(), "2031-05-10T00:00:00Z");
    assert_eq!(sounding.station.as_deref(), Some("LKF"));
    assert!((sounding.column.surface().wind.unwrap().speed_ms() - 15.0).abs() < 1e-9);
    // Two on one page, the head on the line of its tag.
    let two = format!("{WYOMING}{}", WYOMING.replace("10 May", "11 May").replace("<PRE>\n---", "<PRE>---"));
    assert_eq!(soundings(two.as_bytes()).unwrap().soundings.len(), 2);
}

#[test]
fn what_is_no_sounding_is_named() {
    let why = |bytes: &[u8]| soundings(bytes).unwrap_err().to_string();
    assert!(why(b"").contains("no known sounding form"));
    assert!(why(b"{\"a\": 1}").contains("JSON"));
    assert!(why(b"%TITLE%\n X 310509/2100\n%RAW%\n%END%\n").contains("no levels"));
    let page = "<HTML>University of Wyoming: Can't get 99999 Observations at 00Z 10 May 2031.</HTML>";
    assert!(why(page.as_bytes()).contains("no data"), "{}", why(page.as_bytes()));
    assert!(why(b"SNPARM = PRES;TMPC\n").contains("BUFKIT"));
    assert!(why(b"SNPARM\nSTID = X\nPRES TMPC\n960 1\n").contains("no column HGHT"));
}

/// Copies with bytes changed or the end missing: soundings or an error, never a panic, and what comes out can be reckoned with.
#[test]
fn damaged_copies_never_panic() {
    let mut dice = 0x9E37_79B9_7F4A_7C15_u64;
    let mut roll = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % below
    };
    let check = |bytes: &[u8]| {
        for sounding in soundings(bytes).map(|read| read.soundings).unwrap_or_default() {
            let environment = crate::sounding::environment(&sounding.column);
            assert!(environment.sbcape_jkg.is_none_or(|cape| cape.is_finite() && cape >= 0.0));
            assert!(environment.sbcin_jkg.is_none_or(|cin| cin.is_finite() && cin <= 0.0));
        }
    };
    for text in [RAW, BUFKIT, WYOMING] {
        for _ in 0..20 {
            check(&text.as_bytes()[..roll(text.len())]);
        }
        for _ in 0..200 {
            let mut copy = text.as_bytes().to_vec();
            let at = roll(copy.len());
            copy[at] ^= 1 << roll(8);
            check(&copy);
        }
    }
}
